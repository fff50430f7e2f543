-- A reader of one type must not look at all events of the partner.
CREATE INDEX events_by_type ON events (partner_id, mode, type, sequence);
