"""Java on this machine: the runtime, our jars, and how a JVM worker is started."""
