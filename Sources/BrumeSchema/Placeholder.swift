// BrumeSchema
