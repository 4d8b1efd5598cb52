// BrumeClient
