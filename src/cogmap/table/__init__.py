"""Maps of raw tables: trained with an honest score, asked about new rows, and described on a card."""
