"""The contrast of the console's colours, computed from its tokens (WCAG 2.2, 1.4.3)."""
import re

TOKENS = "Sources/BrumeConsole/web/style/tokens.css"
# The least that the design asks for, in light and in dark.
TEXT, CONTROL = (4.8, 5.2), (3.2, 3.2)


def tokens():
    """Each colour as (light, dark)."""
    text = open(TOKENS).read()
    return {name: (light, dark) for name, light, dark in
            re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", text)}


def luminance(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def pairs():
    """Each text on each ground that it stands on, with the least contrast."""
    grounds = ["bg", "surface", "sunken"]
    for text in ("text-1", "text-2", "text-3"):
        for ground in grounds:
            yield text, ground, TEXT
    for ground in ["bg", "surface", "accent-tint"]:
        yield "accent", ground, TEXT
    yield "on-accent", "accent", TEXT
    yield "text-1", "accent-tint", TEXT
    yield "text-2", "accent-tint", TEXT
    for word in ("ok", "wait", "bad", "info", "off"):
        for ground in ("surface", "bg", f"{word}-tint"):
            yield word, ground, TEXT
    for ground in ("surface", "bg"):
        yield "control", ground, CONTROL


def weak():
    """The pairs that nobody could read well."""
    found = tokens()
    for one, ground, least in pairs():
        for at, scheme in enumerate(("light", "dark")):
            value = contrast(found[one][at], found[ground][at])
            if value < least[at]:
                yield f"{one} on {ground}, {scheme}: {value:.2f}"
