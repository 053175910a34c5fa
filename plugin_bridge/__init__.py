"""plugin_bridge."""
