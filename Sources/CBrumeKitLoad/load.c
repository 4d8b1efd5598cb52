// Runs when the program is loaded, before main.
//
// Foundation on Linux writes only top-level classes into keyed archives. The nested classes of
// Apple's API (CKRecord.ID and its like) are archived under stand-in names, and a program that
// reads an archive before it touches anything else must know them already. On Apple's systems the
// Objective-C runtime does this.

#include "CBrumeKitLoad.h"

extern void brume_kit_register_archived_classes(void);

__attribute__((constructor)) static void brume_kit_load(void) {
  brume_kit_register_archived_classes();
}
