CREATE TABLE `webhook_entities` (
	`source` text NOT NULL,
	`entity` text NOT NULL,
	`at` integer NOT NULL,
	`user_id` text,
	PRIMARY KEY(`source`, `entity`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "webhook_entities_source" CHECK("webhook_entities"."source" IN ('identity', 'payment'))
);
--> statement-breakpoint
CREATE INDEX `webhook_entities_at` ON `webhook_entities` (`at`);--> statement-breakpoint
CREATE INDEX `webhook_entities_user` ON `webhook_entities` (`user_id`) WHERE "webhook_entities"."user_id" IS NOT NULL;