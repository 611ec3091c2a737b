CREATE TABLE `proposal_mails` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`bundle_id` integer NOT NULL,
	`kind` text NOT NULL,
	`waiting` text NOT NULL,
	`due_at` integer,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`sent_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "proposal_mails_kind" CHECK("proposal_mails"."kind" IN ('proposed', 'decided')),
	CONSTRAINT "proposal_mails_done" CHECK("proposal_mails"."due_at" IS NOT NULL OR "proposal_mails"."sent_at" IS NOT NULL)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `proposal_mails_once` ON `proposal_mails` (`user_id`,`bundle_id`,`kind`);--> statement-breakpoint
CREATE INDEX `proposal_mails_bundle` ON `proposal_mails` (`bundle_id`);--> statement-breakpoint
CREATE INDEX `proposal_mails_due` ON `proposal_mails` (`due_at`) WHERE "proposal_mails"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `proposal_mails_sent` ON `proposal_mails` (`sent_at`) WHERE "proposal_mails"."due_at" IS NULL;--> statement-breakpoint
ALTER TABLE `user` ADD `mail_proposed` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `user` ADD `mail_decided` integer DEFAULT true NOT NULL;