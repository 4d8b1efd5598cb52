// The name under which code written for Apple's framework finds us. Everything real is in BrumeKit.
@_exported public import BrumeKit
