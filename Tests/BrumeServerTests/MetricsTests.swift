// Metrics as Prometheus reads them.

import BrumeServer
import CoreMetrics
import HTTPTypes
import Testing

@Suite struct MetricsTests {
  let registry = MetricsRegistry()

  @Test func `a counter counts per set of labels`() {
    Counter(label: "a.total", dimensions: [("route", "/x")], factory: registry).increment(by: 2)
    Counter(label: "a.total", dimensions: [("route", "/x")], factory: registry).increment()
    Counter(label: "a.total", dimensions: [("route", "/\"y\"")], factory: registry).increment()
    #expect(
      registry.text() == """
        # TYPE a_total counter
        a_total{route="/\\"y\\""} 1
        a_total{route="/x"} 3

        """)
  }

  @Test func `a gauge shows its last value`() {
    let meter = Meter(label: "open", factory: registry)
    meter.increment(by: 3)
    meter.decrement(by: 1)
    #expect(registry.text() == "# TYPE open gauge\nopen 2\n")
  }

  @Test func `a histogram's buckets are cumulative and end at infinity`() {
    let timer = Timer(label: "took", factory: registry)
    timer.recordNanoseconds(600_000)
    timer.recordNanoseconds(20_000_000)
    timer.recordNanoseconds(60_000_000_000)
    let lines = registry.text().split(separator: "\n")
    #expect(lines.contains(#"took_bucket{le="0.0005"} 0"#))
    #expect(lines.contains(#"took_bucket{le="0.001"} 1"#))
    #expect(lines.contains(#"took_bucket{le="0.025"} 2"#))
    #expect(lines.contains(#"took_bucket{le="10.0"} 2"#))
    #expect(lines.contains(#"took_bucket{le="+Inf"} 3"#))
    #expect(lines.contains("took_count 3"))
  }

  @Test func `methods that a client makes up are one series`() throws {
    let metrics = ServerMetrics(registry: registry)
    for name in ["GET", "MADEUP1", "MADEUP2"] {
      let method = try #require(HTTPRequest.Method(name))
      metrics.finished(method, route: "none", status: .notFound, in: .zero)
    }
    let series = registry.text().split(separator: "\n").filter { $0.contains("method=") }
    #expect(series.count == 2)
    #expect(series.contains { $0.contains("method=\"other\"") && $0.hasSuffix(" 2") })
  }
}
