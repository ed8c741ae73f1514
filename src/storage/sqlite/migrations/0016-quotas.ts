/**
 * Adds quotas of organizations, and what each namespace stores: triggers record every change of its documents, and the
 * sum of a namespace's rows is its usage. Documents that are being deleted don't count.
 */
export const quotas = {
  name: "quotas",
  sql: `
ALTER TABLE organizations ADD COLUMN max_documents INTEGER;
ALTER TABLE organizations ADD COLUMN max_bytes INTEGER;
ALTER TABLE organizations ADD COLUMN max_tokens INTEGER;

CREATE TABLE usage_changes (
  seq INTEGER PRIMARY KEY,
  namespace_id TEXT NOT NULL,
  documents INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_changes_namespace ON usage_changes (namespace_id);
INSERT INTO usage_changes (namespace_id, documents, bytes, tokens)
  SELECT namespace_id, count(*), sum(file_size), sum(total_tokens) FROM documents
  WHERE status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') GROUP BY namespace_id;

CREATE TRIGGER documents_used AFTER INSERT ON documents
WHEN new.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') BEGIN
  INSERT INTO usage_changes (namespace_id, documents, bytes, tokens)
    VALUES (new.namespace_id, 1, new.file_size, new.total_tokens);
END;
CREATE TRIGGER documents_freed AFTER DELETE ON documents
WHEN old.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') BEGIN
  INSERT INTO usage_changes (namespace_id, documents, bytes, tokens)
    VALUES (old.namespace_id, -1, -old.file_size, -old.total_tokens);
END;
CREATE TRIGGER documents_resized AFTER UPDATE OF status, file_size, total_tokens ON documents
WHEN (old.status IN ('QUEUED_FOR_DELETE', 'DELETING'), old.file_size, old.total_tokens)
  IS NOT (new.status IN ('QUEUED_FOR_DELETE', 'DELETING'), new.file_size, new.total_tokens) BEGIN
  INSERT INTO usage_changes (namespace_id, documents, bytes, tokens)
    SELECT new.namespace_id, is_used - was_used, is_used * new.file_size - was_used * old.file_size,
      is_used * new.total_tokens - was_used * old.total_tokens
    FROM (SELECT new.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') AS is_used,
      old.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') AS was_used);
END;
`,
};
