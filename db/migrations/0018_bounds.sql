DROP TRIGGER `version_counted`;
--> statement-breakpoint
DROP TRIGGER `version_recounted`;
--> statement-breakpoint
DROP TRIGGER `version_gone`;
--> statement-breakpoint
DROP TRIGGER `history_changes_hands`;
--> statement-breakpoint
DROP TRIGGER `history_gone`;
--> statement-breakpoint
DROP TRIGGER `event_goes_out`;
--> statement-breakpoint
DROP TRIGGER `event_is_sent`;
--> statement-breakpoint
DROP TRIGGER `event_is_dropped`;
--> statement-breakpoint
CREATE TABLE `gone_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `gone_webhooks_at` ON `gone_webhooks` (`at`);
--> statement-breakpoint
CREATE TABLE `__new_outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` text NOT NULL,
	`bundle_id` integer,
	`proposal_id` text,
	`message_id` text NOT NULL,
	`event` text NOT NULL,
	`version_number` integer,
	`at` integer NOT NULL,
	`due_at` integer,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempted_at` integer,
	`status` integer,
	`failure` text,
	`sent_at` integer
);
--> statement-breakpoint
INSERT INTO `__new_outbox`("id", "webhook_id", "bundle_id", "proposal_id", "message_id", "event", "version_number", "at", "due_at", "lease", "attempts", "attempted_at", "status", "failure", "sent_at") SELECT "id", "webhook_id", "bundle_id", "proposal_id", "message_id", "event", "version_number", "at", "due_at", "lease", "attempts", "attempted_at", "status", "failure", "sent_at" FROM `outbox`;
--> statement-breakpoint
DROP TABLE `outbox`;
--> statement-breakpoint
ALTER TABLE `__new_outbox` RENAME TO `outbox`;
--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`webhook_id`);
--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`webhook_id`) WHERE "outbox"."sent_at" IS NULL;
--> statement-breakpoint
CREATE INDEX `outbox_finished` ON `outbox` (`webhook_id`) WHERE "outbox"."sent_at" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_bundle` ON `outbox` (`bundle_id`) WHERE "outbox"."bundle_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_proposal` ON `outbox` (`proposal_id`) WHERE "outbox"."proposal_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_unsent` ON `outbox` (`webhook_id`,`bundle_id`) WHERE "outbox"."sent_at" IS NULL;
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`webhook_id`,`due_at`) WHERE "outbox"."due_at" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_at` ON `outbox` (`at`);
--> statement-breakpoint
DROP INDEX `idempotency_answers_owner`;
--> statement-breakpoint
ALTER TABLE `idempotency_answers` ADD `agent_hash` text;
--> statement-breakpoint
CREATE INDEX `idempotency_answers_owner` ON `idempotency_answers` (`owner_id`,`created_at`);
--> statement-breakpoint
DROP INDEX `proposals_owner`;
--> statement-breakpoint
CREATE INDEX `proposals_owner` ON `proposals` (`owner_id`,`decided_at`);
--> statement-breakpoint
ALTER TABLE `bundle_versions` DROP COLUMN `bytes`;
--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `bytes` integer GENERATED ALWAYS AS (length(CAST("urls" AS BLOB)) + length(CAST("url_metadata" AS BLOB)) + coalesce(length(CAST("title" AS BLOB)), 0) + coalesce(length(CAST("description" AS BLOB)), 0) + coalesce(length(CAST("opens_at" AS BLOB)), 0) + coalesce(length(CAST("closes_at" AS BLOB)), 0) + coalesce(length(CAST("closed_note" AS BLOB)), 0) + length(CAST("access" AS BLOB)) + length(CAST("copyable" AS BLOB)) + coalesce(length(CAST("resolution_policy" AS BLOB)), 0) + 192) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `owners` ADD `answer_bytes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `owners` ADD `proposal_bytes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `owners` SET
	`history_bytes` = (SELECT coalesce(sum(2 * (length(CAST(`bundles`.`urls` AS BLOB)) + length(CAST(`bundles`.`url_metadata` AS BLOB)) + coalesce(length(CAST(`bundles`.`title` AS BLOB)), 0) + coalesce(length(CAST(`bundles`.`description` AS BLOB)), 0) + coalesce(length(CAST(`bundles`.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(`bundles`.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(`bundles`.`closed_note` AS BLOB)), 0) + length(CAST(`bundles`.`access` AS BLOB)) + length(CAST(`bundles`.`copyable` AS BLOB)) + coalesce(length(CAST(`bundles`.`resolution_policy` AS BLOB)), 0)) + 512 + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = `bundles`.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = `bundles`.`id`) + (SELECT 64 * count(*) FROM `policy_rules` WHERE `bundle_id` = `bundles`.`id`)), 0) FROM `bundles` WHERE `owner_id` = `owners`.`id`),
	`answer_bytes` = (SELECT coalesce(sum(length(`answer`) + 256), 0) FROM `idempotency_answers` WHERE `owner_id` = `owners`.`id`),
	`proposal_bytes` = (SELECT coalesce(sum(length(CAST(`proposals`.`changes` AS BLOB)) + coalesce(length(CAST(`proposals`.`reason` AS BLOB)), 0) + coalesce(length(CAST(`proposals`.`note` AS BLOB)), 0) + 512), 0) FROM `proposals` WHERE `owner_id` = `owners`.`id`);
--> statement-breakpoint
CREATE TRIGGER `version_counted` AFTER INSERT ON `bundle_versions`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `version_recounted` AFTER UPDATE OF `urls`, `url_metadata`, `title`, `description`, `opens_at`, `closes_at`, `closed_note`, `access`, `copyable`, `resolution_policy` ON `bundle_versions` WHEN new.`bytes` <> old.`bytes`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - old.`bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `version_gone` AFTER DELETE ON `bundle_versions` WHEN EXISTS (SELECT 1 FROM `bundles` WHERE `id` = old.`bundle_id`)
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - old.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = old.`bundle_id`);
	DELETE FROM `version_parts` WHERE `id` IN (old.`urls_part`, old.`url_metadata_part`, old.`description_part`, old.`resolution_policy_part`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `urls_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `url_metadata_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `description_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `resolution_policy_part` = `version_parts`.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `rule_counted` AFTER INSERT ON `policy_rules`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + 64 WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `rule_gone` AFTER DELETE ON `policy_rules`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - 64 WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = old.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `content_counted` AFTER INSERT ON `bundles` WHEN new.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + 2 * (length(CAST(new.`urls` AS BLOB)) + length(CAST(new.`url_metadata` AS BLOB)) + coalesce(length(CAST(new.`title` AS BLOB)), 0) + coalesce(length(CAST(new.`description` AS BLOB)), 0) + coalesce(length(CAST(new.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closed_note` AS BLOB)), 0) + length(CAST(new.`access` AS BLOB)) + length(CAST(new.`copyable` AS BLOB)) + coalesce(length(CAST(new.`resolution_policy` AS BLOB)), 0)) + 512 WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `content_recounted` AFTER UPDATE OF `urls`, `url_metadata`, `title`, `description`, `opens_at`, `closes_at`, `closed_note`, `access`, `copyable`, `resolution_policy` ON `bundles` WHEN new.`owner_id` IS old.`owner_id` AND new.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + 2 * ((length(CAST(new.`urls` AS BLOB)) + length(CAST(new.`url_metadata` AS BLOB)) + coalesce(length(CAST(new.`title` AS BLOB)), 0) + coalesce(length(CAST(new.`description` AS BLOB)), 0) + coalesce(length(CAST(new.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closed_note` AS BLOB)), 0) + length(CAST(new.`access` AS BLOB)) + length(CAST(new.`copyable` AS BLOB)) + coalesce(length(CAST(new.`resolution_policy` AS BLOB)), 0)) - (length(CAST(old.`urls` AS BLOB)) + length(CAST(old.`url_metadata` AS BLOB)) + coalesce(length(CAST(old.`title` AS BLOB)), 0) + coalesce(length(CAST(old.`description` AS BLOB)), 0) + coalesce(length(CAST(old.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closed_note` AS BLOB)), 0) + length(CAST(old.`access` AS BLOB)) + length(CAST(old.`copyable` AS BLOB)) + coalesce(length(CAST(old.`resolution_policy` AS BLOB)), 0))) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `history_changes_hands` AFTER UPDATE OF `owner_id` ON `bundles` WHEN new.`owner_id` IS NOT old.`owner_id`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (2 * (length(CAST(old.`urls` AS BLOB)) + length(CAST(old.`url_metadata` AS BLOB)) + coalesce(length(CAST(old.`title` AS BLOB)), 0) + coalesce(length(CAST(old.`description` AS BLOB)), 0) + coalesce(length(CAST(old.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closed_note` AS BLOB)), 0) + length(CAST(old.`access` AS BLOB)) + length(CAST(old.`copyable` AS BLOB)) + coalesce(length(CAST(old.`resolution_policy` AS BLOB)), 0)) + 512 + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) + (SELECT 64 * count(*) FROM `policy_rules` WHERE `bundle_id` = old.`id`)) WHERE `id` = old.`owner_id`;
	UPDATE `owners` SET `history_bytes` = `history_bytes` + 2 * (length(CAST(new.`urls` AS BLOB)) + length(CAST(new.`url_metadata` AS BLOB)) + coalesce(length(CAST(new.`title` AS BLOB)), 0) + coalesce(length(CAST(new.`description` AS BLOB)), 0) + coalesce(length(CAST(new.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(new.`closed_note` AS BLOB)), 0) + length(CAST(new.`access` AS BLOB)) + length(CAST(new.`copyable` AS BLOB)) + coalesce(length(CAST(new.`resolution_policy` AS BLOB)), 0)) + 512 + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) + (SELECT 64 * count(*) FROM `policy_rules` WHERE `bundle_id` = old.`id`) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `history_gone` BEFORE DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (2 * (length(CAST(old.`urls` AS BLOB)) + length(CAST(old.`url_metadata` AS BLOB)) + coalesce(length(CAST(old.`title` AS BLOB)), 0) + coalesce(length(CAST(old.`description` AS BLOB)), 0) + coalesce(length(CAST(old.`opens_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closes_at` AS BLOB)), 0) + coalesce(length(CAST(old.`closed_note` AS BLOB)), 0) + length(CAST(old.`access` AS BLOB)) + length(CAST(old.`copyable` AS BLOB)) + coalesce(length(CAST(old.`resolution_policy` AS BLOB)), 0)) + 512 + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) + (SELECT 64 * count(*) FROM `policy_rules` WHERE `bundle_id` = old.`id`)) WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `answer_counted` AFTER INSERT ON `idempotency_answers` WHEN new.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `answer_bytes` = `answer_bytes` + length(new.`answer`) + 256 WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `answer_gone` AFTER DELETE ON `idempotency_answers` WHEN old.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `answer_bytes` = `answer_bytes` - length(old.`answer`) - 256 WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `proposal_counted` AFTER INSERT ON `proposals`
BEGIN
	UPDATE `owners` SET `proposal_bytes` = `proposal_bytes` + length(CAST(new.`changes` AS BLOB)) + coalesce(length(CAST(new.`reason` AS BLOB)), 0) + coalesce(length(CAST(new.`note` AS BLOB)), 0) + 512 WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `proposal_recounted` AFTER UPDATE OF `reason`, `note` ON `proposals`
BEGIN
	UPDATE `owners` SET `proposal_bytes` = `proposal_bytes` + (length(CAST(new.`changes` AS BLOB)) + coalesce(length(CAST(new.`reason` AS BLOB)), 0) + coalesce(length(CAST(new.`note` AS BLOB)), 0) + 512) - (length(CAST(old.`changes` AS BLOB)) + coalesce(length(CAST(old.`reason` AS BLOB)), 0) + coalesce(length(CAST(old.`note` AS BLOB)), 0) + 512) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `proposal_gone` AFTER DELETE ON `proposals`
BEGIN
	UPDATE `owners` SET `proposal_bytes` = `proposal_bytes` - (length(CAST(old.`changes` AS BLOB)) + coalesce(length(CAST(old.`reason` AS BLOB)), 0) + coalesce(length(CAST(old.`note` AS BLOB)), 0) + 512) WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `event_goes_out` INSTEAD OF INSERT ON `bundle_events`
BEGIN
	INSERT INTO `outbox` (`webhook_id`, `bundle_id`, `proposal_id`, `message_id`, `event`, `version_number`, `at`, `due_at`)
	SELECT `id`, new.`bundle_id`, new.`proposal_id`, 'msg_' || lower(hex(randomblob(16))), new.`event`, new.`version_number`, new.`at`,
		CASE WHEN NOT EXISTS (SELECT 1 FROM `outbox` WHERE `webhook_id` = `webhooks`.`id` AND `bundle_id` = new.`bundle_id` AND `sent_at` IS NULL) THEN new.`at` END
	FROM `webhooks`
	WHERE `owner_id` = new.`owner_id` AND `disabled_at` IS NULL AND EXISTS (SELECT 1 FROM json_each(`webhooks`.`events`) WHERE `value` = new.`event`);
END;
--> statement-breakpoint
-- Two at a time, so that a webhook with more from before this bound gets below it, too, without a long write.
CREATE TRIGGER `oldest_waiting_go` AFTER INSERT ON `outbox` WHEN new.`sent_at` IS NULL
	AND (SELECT `id` FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `sent_at` IS NULL LIMIT 1 OFFSET 10000) IS NOT NULL
BEGIN
	DELETE FROM `outbox` WHERE `id` IN (SELECT `id` FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `sent_at` IS NULL ORDER BY `id` LIMIT 2);
END;
--> statement-breakpoint
CREATE TRIGGER `oldest_finished_go` AFTER UPDATE OF `sent_at` ON `outbox` WHEN old.`sent_at` IS NULL AND new.`sent_at` IS NOT NULL
	AND (SELECT `id` FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `sent_at` IS NOT NULL LIMIT 1 OFFSET 1000) IS NOT NULL
BEGIN
	DELETE FROM `outbox` WHERE `id` IN (SELECT `id` FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `sent_at` IS NOT NULL ORDER BY `id` LIMIT 2);
END;
--> statement-breakpoint
CREATE TRIGGER `event_is_sent` AFTER UPDATE OF `sent_at` ON `outbox` WHEN old.`sent_at` IS NULL AND new.`sent_at` IS NOT NULL
BEGIN
	UPDATE `outbox` SET `due_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE `id` = (SELECT min(`id`) FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `bundle_id` = new.`bundle_id` AND `sent_at` IS NULL)
		AND `due_at` IS NULL AND EXISTS (SELECT 1 FROM `webhooks` WHERE `id` = new.`webhook_id` AND `disabled_at` IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `event_is_dropped` AFTER DELETE ON `outbox` WHEN old.`sent_at` IS NULL AND EXISTS (SELECT 1 FROM `webhooks` WHERE `id` = old.`webhook_id` AND `disabled_at` IS NULL)
BEGIN
	UPDATE `outbox` SET `due_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE `id` = (SELECT min(`id`) FROM `outbox` WHERE `webhook_id` = old.`webhook_id` AND `bundle_id` = old.`bundle_id` AND `sent_at` IS NULL)
		AND `due_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_is_gone` AFTER DELETE ON `webhooks` WHEN EXISTS (SELECT 1 FROM `outbox` WHERE `webhook_id` = old.`id`)
BEGIN
	INSERT OR IGNORE INTO `gone_webhooks` (`id`, `at`) VALUES (old.`id`, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER `oldest_sessions_go` AFTER INSERT ON `session`
BEGIN
	DELETE FROM `session` WHERE `user_id` = new.`user_id` AND `id` NOT IN (SELECT `id` FROM `session` WHERE `user_id` = new.`user_id` ORDER BY `created_at` DESC, `rowid` DESC LIMIT 100);
END;
--> statement-breakpoint
CREATE TRIGGER `oldest_invitations_go` AFTER INSERT ON `invitation`
BEGIN
	DELETE FROM `invitation` WHERE `id` IN (SELECT `id` FROM `invitation` WHERE `organization_id` = new.`organization_id`
		AND (`status` <> 'pending' OR `expires_at` < CAST(unixepoch('subsec') * 1000 AS INTEGER)) ORDER BY `created_at` DESC, `rowid` DESC LIMIT -1 OFFSET 100);
END;
--> statement-breakpoint
CREATE TRIGGER `tokens_end` AFTER UPDATE OF `revoked_at` ON `api_keys` WHEN old.`revoked_at` IS NULL AND new.`revoked_at` IS NOT NULL
BEGIN
	DELETE FROM `app_refresh_tokens` WHERE `key_id` = new.`id`;
END;
