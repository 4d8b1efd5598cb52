// BrumePredicate
