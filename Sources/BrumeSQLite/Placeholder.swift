// BrumeSQLite
