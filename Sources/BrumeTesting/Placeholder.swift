// BrumeTesting
