ALTER TABLE `outbox` ADD `receiver_id` integer;
--> statement-breakpoint
-- Proposals follow their bundle to another owner, with the bytes that they count. A bundle without an owner has none.
CREATE TRIGGER proposals_change_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	UPDATE owners SET proposal_bytes = proposal_bytes - (SELECT coalesce(sum(bytes), 0) FROM proposals WHERE bundle_id = new.id)
		WHERE id = old.owner_id;
	UPDATE owners SET proposal_bytes = proposal_bytes + (SELECT coalesce(sum(bytes), 0) FROM proposals WHERE bundle_id = new.id)
		WHERE id = new.owner_id;
	UPDATE proposals SET owner_id = new.owner_id WHERE bundle_id = new.id;
END;
--> statement-breakpoint
-- Both owners are told whom it moved to, and keep being told the same when it moves on.
CREATE TRIGGER bundle_is_transferred AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NOT NULL AND new.owner_id <> old.owner_id
BEGIN
	INSERT INTO bundle_events VALUES (new.id, old.owner_id, 'bundle.transferred', new.version_number, NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
	INSERT INTO bundle_events VALUES (new.id, new.owner_id, 'bundle.transferred', new.version_number, NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
	UPDATE outbox SET receiver_id = new.owner_id WHERE bundle_id = new.id AND event = 'bundle.transferred' AND receiver_id IS NULL;
END;
