import Testing

@Suite struct SimulationTests {}
