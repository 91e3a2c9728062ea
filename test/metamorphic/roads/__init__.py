"""The second roads: what every answer of zwang must also satisfy. See docs/design/second-roads.md."""
