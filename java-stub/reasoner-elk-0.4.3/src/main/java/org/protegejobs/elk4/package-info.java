/** What is particular about ELK 0.4.3, as the plugin of Protégé 5.6 runs it. */
package org.protegejobs.elk4;
