// BrumePush
