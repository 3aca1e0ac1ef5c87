/* image_chafa.c: see image_chafa.h. The library is loaded where it is there, and neither it nor GLib is needed to
 * build: its functions are named here as its headers declare them (1.8 and later, of the same ABI). */
#include "media/image_chafa.h"

#include <dlfcn.h>

enum { MODE_TRUECOLOR = 0, MODE_256 = 1 };                        /* ChafaCanvasMode */
enum { PIXELS_AS_SYMBOLS = 0, PIXELS_AS_SIXELS = 1 };             /* ChafaPixelMode */
enum { RGBA8_UNASSOCIATED = 4 };                                  /* ChafaPixelType */
enum { SYMBOLS_SPACE = 1, SYMBOLS_SOLID = 2, SYMBOLS_BLOCK = 8 }; /* ChafaSymbolTags */
enum { REUSE_ATTRIBUTES = 1 };                                    /* ChafaOptimizations: no sequences but colours */

/* GString */
struct text {
    char *bytes;
    size_t size, room;
};

static struct {
    void *(*symbol_map_new)(void);
    void (*symbol_map_add_by_tags)(void *map, unsigned tags);
    void *(*config_new)(void);
    void (*config_set_geometry)(void *config, int width, int height);
    void (*config_set_cell_geometry)(void *config, int width, int height);
    void (*config_set_canvas_mode)(void *config, unsigned mode);
    void (*config_set_pixel_mode)(void *config, unsigned mode);
    void (*config_set_symbol_map)(void *config, const void *map);
    void (*config_set_optimizations)(void *config, unsigned optimizations);
    void *(*canvas_new)(const void *config);
    void (*canvas_draw)(void *canvas, unsigned type, const void *pixels, int width, int height, int stride);
    struct text *(*canvas_print)(void *canvas, void *terminal);
    void (*set_threads)(int count);
} chafa;

static bool find(void *library, void *place, const char *name)
{
    return (*(void **)place = dlsym(library, name));
}

static bool find_all(void *library)
{
    return find(library, &chafa.symbol_map_new, "chafa_symbol_map_new") &&
           find(library, &chafa.symbol_map_add_by_tags, "chafa_symbol_map_add_by_tags") &&
           find(library, &chafa.config_new, "chafa_canvas_config_new") &&
           find(library, &chafa.config_set_geometry, "chafa_canvas_config_set_geometry") &&
           find(library, &chafa.config_set_cell_geometry, "chafa_canvas_config_set_cell_geometry") &&
           find(library, &chafa.config_set_canvas_mode, "chafa_canvas_config_set_canvas_mode") &&
           find(library, &chafa.config_set_pixel_mode, "chafa_canvas_config_set_pixel_mode") &&
           find(library, &chafa.config_set_symbol_map, "chafa_canvas_config_set_symbol_map") &&
           find(library, &chafa.config_set_optimizations, "chafa_canvas_config_set_optimizations") &&
           find(library, &chafa.canvas_new, "chafa_canvas_new") &&
           find(library, &chafa.canvas_draw, "chafa_canvas_draw_all_pixels") &&
           find(library, &chafa.canvas_print, "chafa_canvas_print") &&
           find(library, &chafa.set_threads, "chafa_set_n_threads");
}

bool image_chafa_load(const struct image_canvas *canvas)
{
    static const unsigned char dots[4 * 4] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 255};
    struct image_canvas small = *canvas;
    size_t size;
    void *library = dlopen("libchafa.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || !find_all(library))
        return false;
    chafa.set_threads(1); /* the filter allows no other */
    small.columns = small.rows = 2;
    return image_chafa_draw(&small, dots, 2, 2, &size);
}

const char *image_chafa_draw(const struct image_canvas *canvas, const unsigned char *pixels, int width, int height,
                             size_t *size)
{
    void *map = chafa.symbol_map_new(), *config = chafa.config_new();
    chafa.symbol_map_add_by_tags(map, SYMBOLS_SPACE | SYMBOLS_SOLID | SYMBOLS_BLOCK);
    chafa.config_set_symbol_map(config, map);
    chafa.config_set_geometry(config, canvas->columns, canvas->rows);
    chafa.config_set_canvas_mode(config, canvas->sixels || canvas->true_colour ? MODE_TRUECOLOR : MODE_256);
    chafa.config_set_pixel_mode(config, canvas->sixels ? PIXELS_AS_SIXELS : PIXELS_AS_SYMBOLS);
    chafa.config_set_cell_geometry(config, canvas->cell_width, canvas->cell_height);
    chafa.config_set_optimizations(config, REUSE_ATTRIBUTES);
    void *drawn = chafa.canvas_new(config);
    if (!drawn)
        return NULL;
    chafa.canvas_draw(drawn, RGBA8_UNASSOCIATED, pixels, width, height, width * 4);
    const struct text *text = chafa.canvas_print(drawn, NULL);
    *size = text ? text->size : 0;
    return text ? text->bytes : NULL;
}
