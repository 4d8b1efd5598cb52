// A target of C needs a source file. All that counts here is include/module.modulemap.
typedef int brume_cloudkit_names;
