// Spans in the form of OTLP/HTTP with JSON (OpenTelemetry protocol 1.x): IDs are hexadecimal there, and 64-bit
// numbers texts.

import BrumeModel
import BrumeWire
import Tracing

enum OTLPText {
  /// The body of a POST to `/v1/traces`.
  static func body(_ spans: [EndedSpan], version: String) -> [UInt8] {
    let body: JSON = [
      "resourceSpans": [
        [
          "resource": [
            "attributes": [
              attribute("service.name", ["stringValue": "brume"]),
              attribute("service.version", ["stringValue": .string(version)]),
            ]
          ],
          "scopeSpans": [
            ["scope": ["name": "brume"], "spans": .array(spans.map(span))]
          ],
        ]
      ]
    ]
    return body.bytes()
  }

  private static func span(_ span: EndedSpan) -> JSON {
    var members: [JSONObject.Member] = [
      .init(key: "traceId", value: .string(Hex.text(span.place.trace))),
      .init(key: "spanId", value: .string(Hex.text(span.place.span))),
    ]
    if let parent = span.parent {
      members.append(.init(key: "parentSpanId", value: .string(Hex.text(parent))))
    }
    members += [
      .init(key: "flags", value: .int(1)),
      .init(key: "name", value: .string(span.name)),
      .init(key: "kind", value: .int(number(of: span.kind))),
      .init(key: "startTimeUnixNano", value: .string("\(span.start)")),
      .init(key: "endTimeUnixNano", value: .string("\(span.end)")),
      .init(key: "attributes", value: .array(attributes(span.attributes))),
    ]
    if span.isFailed { members.append(.init(key: "status", value: ["code": 2])) }
    return .object(JSONObject(uniqueMembers: members))
  }

  private static func number(of kind: SpanKind) -> Int64 {
    switch kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }

  private static func attributes(_ attributes: SpanAttributes) -> [JSON] {
    var list: [(name: String, value: JSON)] = []
    attributes.forEach { name, value in
      switch value {
      case .int64(let number): list.append((name, ["intValue": .string("\(number)")]))
      case .string(let text): list.append((name, ["stringValue": .string(text)]))
      // Nothing of ours has other values.
      default: break
      }
    }
    return list.sorted { $0.name < $1.name }.map { attribute($0.name, $0.value) }
  }

  private static func attribute(_ name: String, _ value: JSON) -> JSON {
    ["key": .string(name), "value": value]
  }
}
