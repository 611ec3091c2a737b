CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text,
	`recipient` text NOT NULL,
	`sealed` blob NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mails_user` ON `mails` (`user_id`);--> statement-breakpoint
CREATE INDEX `mails_recipient` ON `mails` (`recipient`);--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`);--> statement-breakpoint
CREATE INDEX `mails_ends` ON `mails` (`ends_at`);--> statement-breakpoint
CREATE INDEX `mails_waiting` ON `mails` (`created_at`,`bytes`);