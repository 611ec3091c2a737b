ALTER TABLE `webhooks` ADD `format` text DEFAULT 'standard' NOT NULL;
--> statement-breakpoint
-- A changed format is logged, as a changed URL is.
DROP TRIGGER webhook_is_updated;
--> statement-breakpoint
CREATE TRIGGER webhook_is_updated AFTER UPDATE OF url, format, events, disabled_at ON webhooks
	WHEN new.url <> old.url OR new.format <> old.format OR new.events <> old.events OR (new.disabled_at IS NULL) <> (old.disabled_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, target, changes) SELECT new.owner_id, 'webhook.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'url') AS change WHERE new.url <> old.url
		UNION ALL SELECT json_object('field', 'format', 'from', old.format, 'to', new.format) WHERE new.format <> old.format
		UNION ALL SELECT json_object('field', 'events', 'from', json(old.events), 'to', json(new.events)) WHERE new.events <> old.events
		UNION ALL SELECT json_object('field', 'enabled', 'from', json(CASE WHEN old.disabled_at IS NULL THEN 'true' ELSE 'false' END),
			'to', json(CASE WHEN new.disabled_at IS NULL THEN 'true' ELSE 'false' END)) WHERE (new.disabled_at IS NULL) <> (old.disabled_at IS NULL));
END;
