// Nothing to call: linking this module is what it is for. See load.c.
