/**
 * Adds webhooks, their secrets and the deliveries of events to them. `due_at` is null for a delivery that waits for an
 * earlier one of its subject, and 0 for one that can be sent at once. `delay_ms` is how long its last wait was to be.
 */
export const webhooks = {
  name: "webhooks",
  sql: `
CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  url TEXT NOT NULL,
  description TEXT,
  event_types TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  failing_since INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT
) STRICT;
CREATE INDEX webhooks_list ON webhooks (organization_id, seq);

CREATE TABLE webhook_secrets (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  key_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (webhook_id, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'PENDING',
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  delay_ms INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  attempted_at INTEGER,
  ended_at INTEGER,
  http_status INTEGER,
  error TEXT
) STRICT;
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, seq);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, seq)
  WHERE status = 'PENDING' AND due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_subject ON webhook_deliveries (webhook_id, subject, seq) WHERE status = 'PENDING';
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
`,
};
