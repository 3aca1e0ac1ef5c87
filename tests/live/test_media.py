"""Images and PDF documents through `helve exec`: made by netpbm, cwebp, groff and qpdf, or broken on purpose.

What comes back is read again by the same programs: dimensions, colours at known places, bytes.
"""
import base64
import hashlib
import json
import os
import shutil
import struct
import subprocess
import zlib

from harness import Skip


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed (scripts/bootstrap test)")


def tool(command, given=b""):
    return subprocess.run(command, shell=True, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600, check=True).stdout


def reads(case, *inputs, settings=None, env=None):
    """The blocks of each Read, in one session: a list of ("text", text) and ("image", media type, bytes); the error's text for an error."""
    if settings:
        path = os.path.join(case.home, "helve", "settings.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)
    calls = ""
    for number, given in enumerate(inputs):
        given = given if isinstance(given, dict) else {"file_path": given}
        calls += json.dumps({"type": "tool_use", "id": str(number), "name": "Read", "input": given}) + "\n"
    ran = case.helve("exec", stdin=calls, env=env)
    results = []
    for line in ran.out.splitlines():
        result = json.loads(line)
        content = result["content"]
        if result.get("is_error"):
            results.append(content if isinstance(content, str) else "".join(block.get("text", "") for block in content))
        elif isinstance(content, str):
            results.append([("text", content)])
        else:
            results.append([("text", block["text"]) if block["type"] == "text" else
                            ("image", block["source"]["media_type"], base64.b64decode(block["source"]["data"])) for block in content])
    assert len(results) == len(inputs), ran
    return results


def read(case, given, **more):
    return reads(case, given, **more)[0]


def to_pnm(media_type, data):
    return tool({"image/png": "pngtopnm", "image/jpeg": "jpegtopnm", "image/gif": "giftopnm"}[media_type], data)


def pixels(pnm):
    """Width, height and a function of (x, y) that gives (r, g, b)."""
    pnm = tool("ppmtoppm", pnm) if pnm[:2] == b"P6" else tool("pgmtoppm white | ppmtoppm" if pnm[:2] in (b"P4", b"P5") else "cat", pnm)
    _, width, height, _ = pnm[:40].split()[:4]
    width, height = int(width), int(height)
    raster = pnm[-width * height * 3:]
    return width, height, lambda x, y: tuple(raster[3 * (y * width + x):3 * (y * width + x) + 3])


def shown(blocks):
    """The one image of a result: (text beside it, media type, bytes)."""
    assert isinstance(blocks, list), blocks
    assert [block[0] for block in blocks] == ["text", "image"], blocks
    return blocks[0][1], blocks[1][1], blocks[1][2]


def near(colour, wanted, by=24):
    return all(abs(a - b) <= by for a, b in zip(colour, wanted))


def quarters(width, height):
    """A picture whose quarters are red, green, blue and white, from the upper left on: turning it shows."""
    half = b"\xff\0\0" * (width // 2) + b"\0\xff\0" * (width - width // 2)
    other = b"\0\0\xff" * (width // 2) + b"\xff\xff\xff" * (width - width // 2)
    return b"P6 %d %d 255\n" % (width, height) + half * (height // 2) + other * (height - height // 2)


def noise(width, height):
    raster, block = b"", b"seed"
    need_bytes = width * height * 3
    parts = []
    while sum(map(len, parts[-1:])) + 32 * len(parts) < need_bytes + 64:
        block = hashlib.sha256(block).digest()
        parts.append(block)
    raster = b"".join(parts)[:need_bytes]
    return b"P6 %d %d 255\n" % (width, height) + raster


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of_nothing(width, height):
    """Black, one bit a pixel: some kilobytes for any size."""
    packer, row, packed = zlib.compressobj(9), b"\0" * (1 + (width + 7) // 8), b""
    for _ in range(height):
        packed += packer.compress(row)
    packed += packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def with_exif(jpeg, orientation):
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01" + struct.pack(">HHI", orientation, 0, 0)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


# ---- images ----------------------------------------------------------------------------------------------------


def test_a_small_image_goes_through_byte_for_byte(case):
    need("pnmtopng", "pnmtojpeg", "pamtogif", "cwebp")
    picture = quarters(64, 48)
    case.write("a.png", tool("pnmtopng", picture))
    files = {"a.png": "PNG", "a.jpg": "JPEG", "a.gif": "GIF", "a.webp": "WebP"}
    case.write("a.jpg", tool("pnmtojpeg", picture))
    case.write("a.gif", tool("pamtogif", picture))
    case.write("a.webp", tool(f"cwebp -quiet {case.project}/a.png -o -"))
    for (name, kind), blocks in zip(files.items(), reads(case, *files)):
        text, media_type, data = shown(blocks)
        with open(os.path.join(case.project, name), "rb") as file:
            assert data == file.read(), name
        assert media_type == "image/" + kind.lower(), media_type
        assert text.startswith(f"64×48 {kind}, ") and "shown" not in text, text


def test_a_large_image_is_shrunk_and_its_size_told(case):
    need("pnmtopng", "pnmtojpeg", "pamtogif", "cwebp", "ppmtobmp")
    picture = quarters(1920, 1080)
    case.write("a.png", tool("pnmtopng", picture))
    case.write("a.jpg", tool("pnmtojpeg", picture))
    case.write("a.gif", tool("pamtogif", picture))
    case.write("a.bmp", tool("ppmtobmp", picture))
    case.write("a.webp", tool(f"cwebp -quiet -lossless {case.project}/a.png -o -"))
    for name, blocks in zip(("PNG", "JPEG", "GIF", "BMP", "WebP"), reads(case, "a.png", "a.jpg", "a.gif", "a.bmp", "a.webp")):
        text, media_type, data = shown(blocks)
        assert text.startswith(f"1920×1080 {name}, ") and "shown at 1568×882" in text, text
        assert media_type == "image/png", (name, media_type)  # few colours
        width, height, at = pixels(to_pnm(media_type, data))
        assert (width, height) == (1568, 882)
        for place, colour in (((100, 100), (255, 0, 0)), ((1500, 100), (0, 255, 0)), ((100, 800), (0, 0, 255)), ((1500, 800), (255, 255, 255))):
            assert near(at(*place), colour), (name, place, at(*place))


def test_a_bitmap_becomes_a_png_of_the_same_pixels(case):
    need("ppmtobmp", "pngtopnm")
    picture = quarters(40, 30)
    case.write("a.bmp", tool("ppmtobmp -bpp 24", picture))
    text, media_type, data = shown(read(case, "a.bmp"))
    assert media_type == "image/png" and "shown as PNG" in text, text
    assert to_pnm(media_type, data)[-3600:] == picture[-3600:]


def test_unusual_pngs_are_decoded(case):
    need("pnmtopng", "pngtopnm", "pgmmake")
    wide = quarters(2000, 400)
    case.write("deep.png", tool("pamdepth 65535 | pnmtopng", wide))
    case.write("interlaced.png", tool("pnmtopng -interlace", wide))
    case.write("palette.png", tool("pnmquant 4 | pnmtopng", wide))
    case.write("grey.png", tool("ppmtopgm | pnmtopng", wide))
    case.write("bits.png", tool("ppmtopgm | pgmtopbm | pnmtopng", wide))
    for name, blocks in zip(("deep", "interlaced", "palette", "grey", "bits"), reads(case, *(f"{n}.png" for n in ("deep", "interlaced", "palette", "grey", "bits")))):
        _, media_type, data = shown(blocks)
        width, height, at = pixels(to_pnm(media_type, data))
        assert (width, height) == (1568, 314), name
        assert near(at(1500, 300), (255, 255, 255)), (name, at(1500, 300))
        assert name in ("grey", "bits") or near(at(10, 10), (255, 0, 0)), (name, at(10, 10))


def test_transparency_survives_shrinking(case):
    need("pnmtopng", "pngtopam")
    case.write("mask.pgm", b"P5 2000 1000 255\n" + (b"\0" * 1000 + b"\xff" * 1000) * 1000)
    case.write("a.png", tool(f"pnmtopng -alpha={case.project}/mask.pgm", noise(2000, 1000)))
    _, media_type, data = shown(read(case, "a.png"))
    assert media_type == "image/png"
    mask = tool("pngtopam -alpha", data)
    raster = mask[-1568 * 784:]
    assert raster[0] == 0 and raster[1567] == 255


def test_a_photo_becomes_a_jpeg_within_the_limit(case):
    need("pnmtopng", "jpegtopnm")
    case.write("a.png", tool("pnmtopng", noise(2400, 1600)))
    assert os.path.getsize(os.path.join(case.project, "a.png")) > 11000000
    text, media_type, data = shown(read(case, "a.png"))
    assert media_type == "image/jpeg" and "shown at 1568×1045 as JPEG" in text, text
    assert len(data) <= 5 * 1024 * 1024 * 3 // 4
    assert pixels(to_pnm(media_type, data))[:2] == (1568, 1045)


def test_an_image_of_few_pixels_and_many_bytes_is_written_smaller(case):
    need("pnmtopng")
    case.write("a.png", tool("pnmtopng", noise(1500, 1400)))
    text, media_type, data = shown(read(case, "a.png"))
    assert media_type == "image/jpeg" and text.endswith("shown as JPEG"), text
    assert len(data) <= 5 * 1024 * 1024 * 3 // 4


def test_photos_are_turned_as_their_camera_says(case):
    need("pnmtojpeg", "pngtopnm")
    jpeg = tool("pnmtojpeg -quality=95", quarters(2000, 1000))
    red, green, blue, white = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
    corners = {1: (red, green, blue, white), 2: (green, red, white, blue), 3: (white, blue, green, red), 4: (blue, white, red, green),
               5: (red, blue, green, white), 6: (blue, red, white, green), 7: (white, green, blue, red), 8: (green, white, red, blue)}
    for orientation in corners:
        case.write(f"{orientation}.jpg", with_exif(jpeg, orientation))
    for (orientation, wanted), blocks in zip(corners.items(), reads(case, *(f"{n}.jpg" for n in corners))):
        text, media_type, data = shown(blocks)
        width, height, at = pixels(to_pnm(media_type, data))
        assert (width, height) == ((784, 1568) if orientation >= 5 else (1568, 784)), (orientation, text)
        assert text.startswith("1000×2000" if orientation >= 5 else "2000×1000"), text
        got = (at(20, 20), at(width - 20, 20), at(20, height - 20), at(width - 20, height - 20))
        assert all(near(a, b) for a, b in zip(got, wanted)), (orientation, got)


def test_bombs_are_refused_before_they_are_decoded(case):
    case.write("bomb.png", png_of_nothing(30000, 30000))
    case.write("header.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 100000, 100000, 8, 6, 0, 0, 0)) + chunk(b"IEND", b""))
    case.write("giant.gif", b"GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\xff\xff\xff\xff\0\x02\x01\x00\x00;")
    for size, text in zip(("30000×30000", "100000×100000", "65535×65535"), reads(case, "bomb.png", "header.png", "giant.gif")):
        assert isinstance(text, str) and "too large" in text and size in text, text


def test_a_bomb_that_looks_small_enough_is_stopped_by_the_limit_of_memory(case):
    need("pnmtojpeg")
    # A progressive JPEG is kept in pieces beside its pixels: that is over the limit, which the pixels alone are not.
    # The scans are named: -progressive makes a plain one with the Netpbm of Debian 13.
    case.write("scans", "0,1,2: 0-0, 0, 1;\n" + "".join(f"{part}: 1-63, 0, 0;\n" for part in range(3)))
    jpeg = bytearray(tool(f"pnmtojpeg -scans={os.path.join(case.project, 'scans')}", quarters(64, 48)))
    at = jpeg.index(b"\xff\xc2")
    jpeg[at + 5:at + 9] = struct.pack(">HH", 9900, 9900)
    case.write("a.jpg", bytes(jpeg))
    text = read(case, "a.jpg")
    assert isinstance(text, str) and "needs more memory than its decoder is given" in text, text


def test_cut_and_damaged_images_say_so(case):
    need("pnmtopng", "pnmtojpeg", "cwebp", "ppmtobmp", "pamtogif")
    picture = quarters(64, 48)
    whole = {"a.png": tool("pnmtopng", picture), "a.jpg": tool("pnmtojpeg", picture), "a.gif": tool("pamtogif", picture), "a.bmp": tool("ppmtobmp -bpp 24", picture)}
    case.write("whole.png", whole["a.png"])
    whole["a.webp"] = tool(f"cwebp -quiet {case.project}/whole.png -o -")
    for name, data in whole.items():
        case.write(name, data[:len(data) * 2 // 3])
    for text in reads(case, *whole):
        assert isinstance(text, str) and "cut off" in text, text
    data = bytearray(whole["a.png"])
    at = data.index(b"IDAT") + 6
    data[at:at + 8] = b"garbage!"
    case.write("damaged.png", bytes(data))
    case.write("empty.jpg", b"\xff\xd8\xff\xd9")
    for text in reads(case, "damaged.png", "empty.jpg"):
        assert isinstance(text, str) and "damaged" in text, text


def test_the_bytes_decide_what_a_file_is(case):
    need("pnmtojpeg")
    case.write("a.png", tool("pnmtojpeg", quarters(64, 48)))
    case.write("notes.jpg", "only text\n")
    case.write("b.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    case.write("c.png", b"PK\3\4 an archive, really")
    jpeg, text, svg, archive = reads(case, "a.png", "notes.jpg", "b.svg", "c.png")
    assert shown(jpeg)[1] == "image/jpeg" and "not a PNG though named so" in shown(jpeg)[0], jpeg
    assert "only text" in text[0][1], text
    assert "<svg" in svg[0][1], svg
    assert "a ZIP archive" in archive and "unzip" in archive and "not a PNG though named so" in archive, archive


def test_moving_images_are_named_so(case):
    need("img2webp", "pnmtopng", "pamtogif")
    case.write("1.png", tool("pnmtopng", quarters(64, 48)))
    case.write("2.png", tool("pnmtopng", noise(64, 48)))
    tool(f"img2webp -o {case.project}/a.webp {case.project}/1.png -d 100 {case.project}/2.png")
    gif = tool("pamtogif", quarters(2000, 1000))
    frame = gif[gif.index(b","):-1]
    case.write("a.gif", gif[:-1] + frame + b";")
    webp, moving = reads(case, "a.webp", "a.gif")
    text, media_type, data = shown(webp)
    with open(os.path.join(case.project, "a.webp"), "rb") as file:
        assert data == file.read() and media_type == "image/webp" and "an animation" in text
    text, media_type, data = shown(moving)
    assert "its first picture" in text and media_type == "image/png", text
    assert pixels(to_pnm(media_type, data))[:2] == (1568, 784)


def test_of_a_large_animation_the_first_picture_is_shown(case):
    need("img2webp", "cwebp", "webpmux", "pnmtopng")
    case.write("1.png", tool("pnmtopng", quarters(2000, 1000)))
    case.write("2.png", tool("pnmflip -rotate180 | pnmtopng", quarters(2000, 1000)))
    case.write("part.png", tool("pnmtopng", quarters(400, 200)))
    tool(f"img2webp -lossless -o {case.project}/whole.webp {case.project}/1.png -d 100 {case.project}/2.png")
    for name in ("1", "part"):
        tool(f"cwebp -quiet -lossless {case.project}/{name}.png -o {case.project}/{name}.webp")
    # The first frame is a part of the canvas, which the second one fills.
    tool(f"webpmux -frame {case.project}/part.webp +100+200+100 -frame {case.project}/1.webp +100 -o {case.project}/part-first.webp")
    with open(os.path.join(case.project, "whole.webp"), "rb") as file:
        bytes_ = bytearray(file.read())
    at = bytes_.index(b"ANMF")
    bytes_[at + 8 + 16 + 40:at + 8 + 16 + 200] = b"\xff" * 160
    case.write("damaged.webp", bytes(bytes_))
    bytes_[at + 8:at + 11] = b"\xff\xff\0"  # far beside the canvas
    case.write("beside.webp", bytes(bytes_))
    case.write("none.webp", bytes(bytes_).replace(b"ANMF", b"ANMX"))
    whole, part, damaged, beside, none = reads(case, "whole.webp", "part-first.webp", "damaged.webp", "beside.webp", "none.webp")
    text, media_type, data = shown(whole)
    assert "2000×1000 WebP" in text and "its first picture; it is an animation" in text and media_type == "image/png", text
    width, height, pixel = pixels(to_pnm(media_type, data))
    assert (width, height) == (1568, 784)
    assert near(pixel(10, 10), (255, 0, 0)) and near(pixel(1500, 10), (0, 255, 0)) and near(pixel(10, 700), (0, 0, 255))
    text, media_type, data = shown(part)
    assert "2000×1000 WebP" in text and media_type == "image/png", text
    alpha = pixels(tool("pngtopnm -alpha", data))[2]
    assert alpha(10, 10) == (0, 0, 0) and alpha(300, 150) == (255, 255, 255) and alpha(1000, 500) == (0, 0, 0)
    assert near(pixels(tool("pngtopnm", data))[2](170, 90), (255, 0, 0))
    for answer in (damaged, beside, none):
        assert isinstance(answer, str) and "damaged" in answer, answer


def test_rules_hold_for_images_and_documents_before_they_are_opened(case):
    need("pnmtopng")
    case.write("secret/a.png", tool("pnmtopng", quarters(64, 48)))
    case.write("secret/a.pdf", "%PDF-1.4\n")
    for text in reads(case, "secret/a.png", "secret/a.pdf", settings={"permissions": {"deny": ["Read(secret/**)"]}}):
        assert isinstance(text, str) and "damaged" not in text, text


def test_the_text_form_names_the_image(case):
    need("pnmtopng")
    case.write("a.png", tool("pnmtopng", quarters(64, 48)))
    ran = case.helve("tool", "call", "Read", '{"file_path":"a.png"}')
    assert ran.code == 0 and ran.out.startswith("64×48 PNG, "), ran


def test_each_shape_of_calls_gets_what_it_can_carry(case):
    need("pnmtopng")
    data = tool("pnmtopng", quarters(64, 48))
    case.write("a.png", data)
    arguments = json.dumps({"file_path": "a.png"})
    chat = case.helve("exec", stdin=json.dumps({"id": "c", "type": "function", "function": {"name": "Read", "arguments": arguments}}) + "\n")
    answer = json.loads(chat.out)
    assert answer["role"] == "tool" and answer["content"].startswith("64×48 PNG") and "1 image cannot be carried" in answer["content"], answer
    responses = case.helve("exec", stdin=json.dumps({"type": "function_call", "call_id": "c", "name": "Read", "arguments": arguments}) + "\n")
    text, image = json.loads(responses.out)["output"]
    assert text["type"] == "input_text" and image["type"] == "input_image", (text, image)
    assert image["image_url"] == "data:image/png;base64," + base64.b64encode(data).decode()


def test_the_doctor_says_whether_images_and_documents_can_be_shown(case):
    ran = case.helve("doctor", "--offline", "--json")
    found = {row["check"]: row for row in map(json.loads, ran.out.splitlines()) if row["check"] in ("images", "PDF")}
    assert set(found) == {"images", "PDF"} and "are shown" in found["images"]["message"], ran


# ---- PDF -------------------------------------------------------------------------------------------------------


def document(case, name, pages, line="This is page number %d of the document."):
    need("groff", "pdftotext", "qpdf")
    text = "\n.bp\n".join(line % page for page in range(1, pages + 1))
    return case.write(name, tool("groff -Tpdf", text.encode()))


def raw_pdf(objects):
    """A document of these objects; the first one is the catalogue."""
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + \
        b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))


def stream(data, entries=b""):
    return b"<<%s/Length %d>>stream\n" % (entries, len(data)) + data + b"\nendstream"


def scan(jpeg, width, height):
    """A page that is a photo, and an empty one."""
    return raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
                    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
                    stream(b"q 600 0 0 600 0 0 cm /I Do Q"),
                    stream(jpeg, b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode" % (width, height)),
                    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]>>"])


def only_text(blocks):
    assert isinstance(blocks, list) and all(block[0] == "text" for block in blocks), blocks
    return "".join(block[1] for block in blocks)


def test_a_document_is_shown_by_its_pages(case):
    document(case, "d.pdf", 3)
    text = only_text(read(case, "d.pdf"))
    assert text.startswith("PDF document, 3 pages, "), text
    for page in (1, 2, 3):
        assert f"--- Page {page} of 3 ---\nThis is page number {page} of the document." in text, text
    assert "Go on" not in text


def test_without_bubblewrap_landlock_confines_the_readers(case):
    document(case, "d.pdf", 2)
    text = read(case, "d.pdf", env={"PATH": case.root})
    if isinstance(text, str) and "cannot be confined here" in text:
        raise Skip("this kernel has no Landlock")
    assert "page number 2 " in only_text(text), text


def test_pages_choose(case):
    document(case, "d.pdf", 30)
    ask = lambda pages: {"file_path": "d.pdf", "pages": pages}
    one, some, end, open_end, empty = reads(case, ask("3"), ask("2-4"), ask("29-40"), ask("5-"), ask(""))
    assert "page number 3 " in only_text(one) and "page number 4 " not in only_text(one) and 'pages "4-23"' in only_text(one), one
    assert all(f"page number {page} " in only_text(some) for page in (2, 3, 4)) and "page number 5 " not in only_text(some)
    assert "page number 30 " in only_text(end) and "Go on" not in only_text(end), end
    assert "page number 24 " in only_text(open_end) and "page number 25 " not in only_text(open_end)
    assert isinstance(empty, str) and "30 pages: too many" in empty, empty


def test_more_than_ten_pages_must_be_chosen(case):
    document(case, "ten.pdf", 10)
    document(case, "eleven.pdf", 11)
    ten, eleven = reads(case, "ten.pdf", "eleven.pdf")
    assert "page number 10 " in only_text(ten)
    assert isinstance(eleven, str) and "11 pages" in eleven and 'pages "1-11"' in eleven, eleven


def test_wrong_pages_are_explained(case):
    document(case, "d.pdf", 3)
    case.write("a.txt", "text\n")
    rows = {"x": "no page and no range", "0": "no page", "1,2": "one page", "3-1": "before it begins", "1-21": "at most 20", "4": "3 pages", "9-12": "between 1 and 3"}
    for (pages, wanted), text in zip(rows.items(), reads(case, *({"file_path": "d.pdf", "pages": pages} for pages in rows))):
        assert isinstance(text, str) and wanted in text, (pages, text)
    text = read(case, {"file_path": "a.txt", "pages": "1"})
    assert isinstance(text, str) and "pages is for PDF documents" in text, text


def test_a_scanned_page_is_shown_as_a_picture_and_an_empty_one_is_said_to_be_blank(case):
    need("pnmtojpeg", "qpdf", "pdftoppm")
    case.write("raw.pdf", scan(tool("pnmtojpeg", quarters(300, 300)), 300, 300))
    tool(f"qpdf --object-streams=generate {case.project}/raw.pdf {case.project}/d.pdf")
    blocks = read(case, "d.pdf")
    assert [block[0] for block in blocks] == ["text", "image", "text"], blocks
    assert "a picture of it follows" in blocks[0][1] and "blank" in blocks[2][1], blocks
    width, height, at = pixels(to_pnm(blocks[1][1], blocks[1][2]))
    assert (width, height) == (1568, 1568)
    assert near(at(100, 100), (255, 0, 0)) and near(at(1400, 1400), (255, 255, 255))


def test_twenty_scanned_pages_fit_into_a_request(case):
    need("pnmtojpeg", "qpdf", "pdftoppm")
    case.write("raw.pdf", scan(tool("pnmtojpeg -quality=95", noise(1200, 1200)), 1200, 1200))
    tool(f"qpdf --empty --pages {case.project}/raw.pdf 1 {case.project}/raw.pdf 1 {case.project}/raw.pdf 1 -- {case.project}/d.pdf")
    images = [block for block in read(case, "d.pdf") if block[0] == "image"]
    assert len(images) == 3 and all(len(block[2]) <= 700 * 1024 for block in images), [len(block[2]) for block in images]


def test_encrypted_documents_say_what_is_needed(case):
    document(case, "d.pdf", 2)
    tool(f"qpdf --encrypt secret owner 256 -- {case.project}/d.pdf {case.project}/locked.pdf")
    tool(f"qpdf --encrypt '' owner 256 --print=none --extract=n -- {case.project}/d.pdf {case.project}/open.pdf")
    locked, free = reads(case, "locked.pdf", "open.pdf")
    assert isinstance(locked, str) and "needs a password" in locked and "qpdf" in locked, locked
    assert "encrypted without a password" in only_text(free) and "page number 2 " in only_text(free), free
    for name, how in (("rc4-40", "40"), ("rc4-128", "128 --use-aes=n"), ("aes-128", "128 --use-aes=y")):
        for password, file in (("secret", f"{name}.pdf"), ("''", f"{name}-open.pdf")):
            tool(f"qpdf --allow-weak-crypto --encrypt {password} owner {how} -- {case.project}/d.pdf {case.project}/{file}")
        locked, free = reads(case, f"{name}.pdf", f"{name}-open.pdf")
        assert isinstance(locked, str) and "needs a password" in locked and "qpdf" in locked, (name, locked)
        assert "encrypted without a password" in only_text(free) and "page number 2 " in only_text(free), (name, free)


def test_a_document_that_is_encrypted_for_certificates_says_so(case):
    """No password opens it: the key is that of a person's certificate."""
    locked = raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
                      b"<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 2/Length 128/Recipients[<00>]>>"])
    case.write("certificate.pdf", locked.replace(b"/Root 1 0 R", b"/Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]"))
    answer = read(case, "certificate.pdf")
    assert isinstance(answer, str) and "encrypted" in answer and "decrypted copy" in answer, answer


def test_broken_documents_say_so(case):
    path = document(case, "d.pdf", 2)
    with open(path, "rb") as file:
        whole = file.read()
    case.write("cut.pdf", whole[:len(whole) // 3])
    case.write("rubbish.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 20)
    case.write("none.pdf", raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]))
    for text in reads(case, "cut.pdf", "rubbish.pdf", "none.pdf"):
        assert isinstance(text, str) and "PDF document" in text and ("damaged" in text or "no pages" in text), text


def test_text_over_the_budget_is_cut_at_a_page_and_the_rest_named(case):
    line = ("word " * 14 + "\n.br\n") * 45
    document(case, "d.pdf", 9, "number %d\n.br\n" + line.replace("%", ""))
    need("qpdf")
    tool(f"qpdf --empty --pages {case.project}/d.pdf {case.project}/d.pdf {case.project}/d.pdf -- {case.project}/long.pdf")
    text = only_text(read(case, {"file_path": "long.pdf", "pages": "1-20"}))
    assert "number 1\n" in text and len(text) < 110000, len(text)


def test_form_feeds_in_a_text_do_not_move_its_pages(case):
    need("pdftotext")
    cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange " \
           b"2 beginbfchar <41> <000C> <42> <0042> endbfchar endcmap end end"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents %d 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    case.write("d.pdf", raw_pdf([
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>", page % 7, page % 8,
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 6 0 R>>", stream(cmap),
        stream(b"BT /F 12 Tf 100 500 Td (BBBBBBBBABBBBBBBB) Tj ET"), stream(b"BT /F 12 Tf 100 500 Td (BBBBBBBBBBBB) Tj ET")]))
    text = only_text(read(case, "d.pdf"))
    first, second = text.split("--- Page 2 of 2 ---")
    assert first.split("---\n")[1].count("B") == 16 and second.count("B") == 12, text


def test_pages_that_are_counted_and_not_there_say_so(case):
    need("pnmtojpeg", "pdftotext")
    case.write("d.pdf", scan(tool("pnmtojpeg", quarters(30, 30)), 30, 30).replace(b"/Count 2", b"/Count 4"))
    blocks = read(case, "d.pdf")
    assert [block[0] for block in blocks] == ["text", "image", "text"], blocks
    assert blocks[2][1].count("it is not there") == 2, blocks


def test_a_page_that_never_ends_is_given_up(case):
    need("pdftotext")
    count, forms = 14, []
    for level in range(count):
        inner = b"/F Do " * 10 if level < count - 1 else b"0 0 m 5 5 l S"
        forms.append(stream(inner, b"/Type/XObject/Subtype/Form/BBox[0 0 100 100]" + (b"/Resources<</XObject<</F %d 0 R>>>>" % (6 + level) if level < count - 1 else b"")))
    case.write("d.pdf", raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
                                 b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>", stream(b"/F Do")] + forms))
    text = read(case, "d.pdf")
    assert isinstance(text, str) and "too long" in text, text


def test_pages_of_absurd_size_are_bounded(case):
    need("pdftoppm")
    case.write("d.pdf", raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
                                 b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000 1000000000]/Contents 4 0 R>>", stream(b"0 0 m 900000000 900000000 l S")]))
    blocks = read(case, "d.pdf")
    assert isinstance(blocks, list) and len(json.dumps(str(blocks))) < 5000000, blocks
