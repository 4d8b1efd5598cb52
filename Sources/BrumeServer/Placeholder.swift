// BrumeServer
