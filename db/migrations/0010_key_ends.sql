ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `allowed_networks` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `replaced_by` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `end_told_at` integer;--> statement-breakpoint
CREATE INDEX `api_keys_ending` ON `api_keys` (`expires_at`) WHERE "api_keys"."expires_at" IS NOT NULL AND "api_keys"."end_told_at" IS NULL;--> statement-breakpoint
ALTER TABLE `user` ADD `mail_key_ends` integer DEFAULT true NOT NULL;
--> statement-breakpoint
-- The key in its place is logged as created, too.
CREATE TRIGGER key_is_rotated AFTER UPDATE OF replaced_by ON api_keys WHEN old.replaced_by IS NULL AND new.replaced_by IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'key.rotated', new.id,
		json_array(json_object('field', 'replacedBy', 'to', new.replaced_by)), CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
