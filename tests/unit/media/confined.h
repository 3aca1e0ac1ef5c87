/* confined.h: how the program confined ends when nothing kills it. */
#ifndef MEDIA_CONFINED_H
#define MEDIA_CONFINED_H

enum confined_exit { CONFINED_DID_IT = 42, CONFINED_REFUSED, CONFINED_NOT };

#endif
