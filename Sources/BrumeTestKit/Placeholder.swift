// BrumeTestKit
