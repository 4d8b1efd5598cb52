// BrumeKit
