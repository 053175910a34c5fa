"""Where records of jobs lie: a contract, and the store in memory."""
