// BrumeConformance
