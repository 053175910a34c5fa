/** What is particular about HermiT 1.4.3.456, as the plugin of Protégé 5.6 runs it. */
package org.protegejobs.hermit;
