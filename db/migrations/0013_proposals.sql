CREATE TABLE `proposals` (
	`id` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`base_version` integer NOT NULL,
	`changes` text NOT NULL,
	`reason` text,
	`proposed_by` text,
	`key_id` integer,
	`created_at` integer NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`decided_by` text,
	`decided_at` integer,
	`note` text,
	`version_number` integer,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`proposed_by`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`decided_by`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "proposals_id" CHECK("proposals"."id" GLOB 'p_*'),
	CONSTRAINT "proposals_changes" CHECK(json_valid("proposals"."changes")),
	CONSTRAINT "proposals_state" CHECK("proposals"."state" IN ('open', 'accepted', 'rejected', 'withdrawn')),
	CONSTRAINT "proposals_decided" CHECK(("proposals"."state" = 'open') = ("proposals"."decided_at" IS NULL)),
	CONSTRAINT "proposals_accepted" CHECK(("proposals"."state" = 'accepted') = ("proposals"."version_number" IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX `proposals_bundle` ON `proposals` (`bundle_id`,`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `proposals_open` ON `proposals` (`owner_id`,`created_at`) WHERE "proposals"."state" = 'open';--> statement-breakpoint
CREATE INDEX `proposals_owner` ON `proposals` (`owner_id`);--> statement-breakpoint
CREATE INDEX `proposals_proposer` ON `proposals` (`proposed_by`);--> statement-breakpoint
CREATE INDEX `proposals_decider` ON `proposals` (`decided_by`);--> statement-breakpoint
CREATE INDEX `proposals_key` ON `proposals` (`key_id`);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `proposed_by` text;--> statement-breakpoint
-- Nobody is left to answer for an open proposal of a deleted account, and a decided one keeps nothing personal.
CREATE TRIGGER `proposals_of_account` BEFORE DELETE ON `user`
BEGIN
  DELETE FROM `proposals` WHERE `proposed_by` = old.`id` AND `state` = 'open';
  UPDATE `proposals` SET `reason` = NULL WHERE `proposed_by` = old.`id`;
END;
