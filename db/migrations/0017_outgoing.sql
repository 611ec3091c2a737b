CREATE TABLE `outbox` (
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
	`sent_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`proposal_id`) REFERENCES `proposals`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`webhook_id`);--> statement-breakpoint
CREATE INDEX `outbox_bundle` ON `outbox` (`bundle_id`) WHERE "outbox"."bundle_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_proposal` ON `outbox` (`proposal_id`) WHERE "outbox"."proposal_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_unsent` ON `outbox` (`webhook_id`,`bundle_id`) WHERE "outbox"."sent_at" IS NULL;--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`webhook_id`,`due_at`) WHERE "outbox"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_at` ON `outbox` (`at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`created_by` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret` blob NOT NULL,
	`created_at` integer NOT NULL,
	`disabled_at` integer,
	`disabled_by` text,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhooks_events" CHECK(json_valid("webhooks"."events") AND json_array_length("webhooks"."events") >= 1),
	CONSTRAINT "webhooks_disabled" CHECK(("webhooks"."disabled_at" IS NULL) = ("webhooks"."disabled_by" IS NULL))
);
--> statement-breakpoint
CREATE INDEX `webhooks_owner` ON `webhooks` (`owner_id`);--> statement-breakpoint
CREATE INDEX `webhooks_creator` ON `webhooks` (`created_by`);
--> statement-breakpoint
CREATE VIEW `bundle_events` AS SELECT NULL AS `bundle_id`, NULL AS `owner_id`, NULL AS `event`, NULL AS `version_number`, NULL AS `proposal_id`, NULL AS `at` WHERE false;
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
CREATE TRIGGER `bundle_is_created` AFTER INSERT ON `bundles` WHEN new.`owner_id` IS NOT NULL
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`id`, new.`owner_id`, 'bundle.created', new.`version_number`, NULL, new.`created_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_is_updated` AFTER UPDATE OF `version_number` ON `bundles` WHEN new.`version_number` <> old.`version_number`
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`id`, new.`owner_id`, 'bundle.updated', new.`version_number`, NULL, new.`updated_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_is_deleted` AFTER UPDATE OF `deleted_at` ON `bundles` WHEN (new.`deleted_at` IS NULL) <> (old.`deleted_at` IS NULL)
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`id`, new.`owner_id`, CASE WHEN new.`deleted_at` IS NULL THEN 'bundle.restored' ELSE 'bundle.deleted' END,
		new.`version_number`, NULL, coalesce(new.`deleted_at`, CAST(unixepoch('subsec') * 1000 AS INTEGER)));
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_is_claimed` AFTER UPDATE OF `owner_id` ON `bundles` WHEN old.`owner_id` IS NULL AND new.`owner_id` IS NOT NULL
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`id`, new.`owner_id`, 'bundle.claimed', new.`version_number`, NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER `proposal_is_opened` AFTER INSERT ON `proposals`
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`bundle_id`, new.`owner_id`, 'proposal.opened', NULL, new.`id`, new.`created_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `proposal_is_decided` AFTER UPDATE OF `state` ON `proposals` WHEN old.`state` = 'open' AND new.`state` IN ('accepted', 'rejected')
BEGIN
	INSERT INTO `bundle_events` VALUES (new.`bundle_id`, new.`owner_id`, 'proposal.' || new.`state`, NULL, new.`id`, new.`decided_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `event_is_sent` AFTER UPDATE OF `sent_at` ON `outbox` WHEN old.`sent_at` IS NULL AND new.`sent_at` IS NOT NULL
BEGIN
	UPDATE `outbox` SET `due_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE `id` = (SELECT min(`id`) FROM `outbox` WHERE `webhook_id` = new.`webhook_id` AND `bundle_id` = new.`bundle_id` AND `sent_at` IS NULL)
		AND `due_at` IS NULL AND EXISTS (SELECT 1 FROM `webhooks` WHERE `id` = new.`webhook_id` AND `disabled_at` IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `event_is_dropped` AFTER DELETE ON `outbox` WHEN old.`sent_at` IS NULL
BEGIN
	UPDATE `outbox` SET `due_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE `id` = (SELECT min(`id`) FROM `outbox` WHERE `webhook_id` = old.`webhook_id` AND `bundle_id` = old.`bundle_id` AND `sent_at` IS NULL)
		AND `due_at` IS NULL AND EXISTS (SELECT 1 FROM `webhooks` WHERE `id` = old.`webhook_id` AND `disabled_at` IS NULL);
END;
