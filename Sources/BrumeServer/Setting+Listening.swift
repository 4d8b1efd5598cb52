// The settings of how the server is reached otherwise than by plain HTTP on a port, and of where its traces go.

extension Setting {
  package static let tlsCertificate = Setting(
    key: "tls.certificate", kind: .text, fallback: nil, form: "FILE",
    help:
      "A PEM file with the server's certificate, then those that lead to a root. The server then speaks "
      + "HTTPS, HTTP/2 too; SIGHUP reads it again.")
  package static let tlsKey = Setting(
    key: "tls.key", kind: .text, fallback: nil, form: "FILE",
    help: "A PEM file with the certificate's private key, without a password.")
  package static let unixSocket = Setting(
    key: "unix.socket", kind: .text, fallback: nil, form: "PATH",
    help: "Listen on this Unix socket, for the server's own user only, instead of on a port.")

  package static let otlpEndpoint = Setting(
    key: "otlp.endpoint", kind: .text, fallback: nil, form: "URL",
    help:
      "Send traces to this OpenTelemetry collector by OTLP/HTTP, such as http://127.0.0.1:4318; none "
      + "unless set.")
  package static let otlpPercent = Setting(
    key: "otlp.percent", kind: .number, fallback: "100", form: "NUMBER",
    help: "How many of a hundred requests are traced; those that bring a traceparent follow it.")
  package static let otlpHeaders = Setting(
    key: "otlp.headers", kind: .text, fallback: nil, form: "LIST",
    help: "Headers for the collector: name=value, separated by commas.")

  static let ofTracing: [Setting] = [otlpEndpoint, otlpPercent, otlpHeaders]
  static let ofListening: [Setting] = [tlsCertificate, tlsKey, unixSocket]
}
