ALTER TABLE `webhooks` ADD `old_secret` blob;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `old_secret_until` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `dropped_at` integer;--> statement-breakpoint
CREATE INDEX `webhooks_old_secret` ON `webhooks` (`old_secret_until`) WHERE "webhooks"."old_secret_until" IS NOT NULL;--> statement-breakpoint
DROP TRIGGER event_goes_out;
--> statement-breakpoint
-- Due at once, unless an earlier event of the bundle is still to be sent. A star is all events that webhooks are told of.
CREATE TRIGGER event_goes_out AFTER INSERT ON events WHEN new.kind IN ('bundle', 'proposal') AND new.type <> 'proposal.withdrawn'
BEGIN
	INSERT INTO outbox (webhook_id, bundle_id, proposal_id, message_id, event, version_number, at, due_at, event_id)
	SELECT id, new.bundle_id, new.target, 'msg_' || lower(hex(randomblob(16))), new.type, new.version_number, new.at,
		CASE WHEN NOT EXISTS (SELECT 1 FROM outbox WHERE webhook_id = webhooks.id AND bundle_id = new.bundle_id AND sent_at IS NULL) THEN new.at END,
		new.id
	FROM webhooks
	WHERE owner_id = new.owner_id AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value IN (new.type, '*'));
END;
--> statement-breakpoint
DROP TRIGGER oldest_waiting_go;
--> statement-breakpoint
-- Bounds of a webhook: 10 000 events that wait. Its owner sees that some were dropped.
CREATE TRIGGER oldest_waiting_go AFTER INSERT ON outbox WHEN new.sent_at IS NULL
	AND (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL LIMIT 1 OFFSET 10000) IS NOT NULL
BEGIN
	UPDATE webhooks SET dropped_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = new.webhook_id;
	DELETE FROM outbox WHERE id = (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL ORDER BY id LIMIT 1);
END;
