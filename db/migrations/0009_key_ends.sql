ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `allowed_networks` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `replaced_by` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `end_told_at` integer;--> statement-breakpoint
CREATE INDEX `api_keys_ending` ON `api_keys` (`expires_at`) WHERE "api_keys"."expires_at" IS NOT NULL AND "api_keys"."end_told_at" IS NULL;--> statement-breakpoint
ALTER TABLE `user` ADD `mail_key_ends` integer DEFAULT true NOT NULL;