// BrumePostgres
