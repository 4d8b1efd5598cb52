// BrumeWire
