// The embedded server for our users' test targets will live here: LocalServer, a manual clock, faults.
// There is nothing yet; the target exists so that the layering includes it from the start.
