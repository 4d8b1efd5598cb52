// The protocol's behaviour as text cases, run against any address, will live here.
// There is nothing yet; the target exists so that the layering includes it from the start.
