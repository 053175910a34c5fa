/** What is particular about JFact 4.0.4. */
package org.protegejobs.jfact;
