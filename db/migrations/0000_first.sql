CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`minted_by` text NOT NULL,
	`name` text NOT NULL,
	`key_prefix` text NOT NULL,
	`secret_hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`rate_limit_per_hour` integer DEFAULT 1000 NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "api_keys_name" CHECK(length("api_keys"."name") BETWEEN 1 AND 100),
	CONSTRAINT "api_keys_hash" CHECK(length("api_keys"."secret_hash") = 32),
	CONSTRAINT "api_keys_scopes" CHECK(json_valid("api_keys"."scopes") AND json_array_length("api_keys"."scopes") BETWEEN 1 AND 3),
	CONSTRAINT "api_keys_limit" CHECK("api_keys"."rate_limit_per_hour" BETWEEN 0 AND 100000)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_prefix` ON `api_keys` (`key_prefix`);--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`owner_id`);--> statement-breakpoint
CREATE TABLE `bundle_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `bundle_versions` (
	`bundle_id` integer NOT NULL,
	`version_number` integer NOT NULL,
	`urls` text NOT NULL,
	`url_metadata` text NOT NULL,
	`title` text,
	`description` text,
	`resolution_policy` text,
	`edited_by` text,
	`edited_at` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `version_number`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "bundle_versions_number" CHECK("bundle_versions"."version_number" >= 1),
	CONSTRAINT "bundle_versions_urls" CHECK(json_valid("bundle_versions"."urls") AND json_array_length("bundle_versions"."urls") BETWEEN 1 AND 25)
);
--> statement-breakpoint
CREATE TABLE `bundles` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`owner_id` integer,
	`title` text,
	`description` text,
	`urls` text NOT NULL,
	`url_metadata` text NOT NULL,
	`resolution_policy` text,
	`source` text NOT NULL,
	`client` text,
	`address_hash` text,
	`version_number` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "bundles_slug_length" CHECK(length("bundles"."slug") BETWEEN 3 AND 64),
	CONSTRAINT "bundles_urls" CHECK(json_valid("bundles"."urls") AND json_array_length("bundles"."urls") BETWEEN 1 AND 25),
	CONSTRAINT "bundles_metadata" CHECK(json_array_length("bundles"."url_metadata") = json_array_length("bundles"."urls")),
	CONSTRAINT "bundles_source" CHECK("bundles"."source" IN ('web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import')),
	CONSTRAINT "bundles_version" CHECK("bundles"."version_number" >= 1),
	CONSTRAINT "bundles_address_unowned" CHECK("bundles"."address_hash" IS NULL OR "bundles"."owner_id" IS NULL)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bundles_slug` ON `bundles` (`slug`);--> statement-breakpoint
CREATE INDEX `bundles_owner` ON `bundles` (`owner_id`,`deleted_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `bundles_address` ON `bundles` (`address_hash`) WHERE "bundles"."address_hash" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `claims` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`email` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_bundle_id_unique` ON `claims` (`bundle_id`);--> statement-breakpoint
CREATE INDEX `claims_expires` ON `claims` (`expires_at`);--> statement-breakpoint
CREATE INDEX `claims_email` ON `claims` (`email`);--> statement-breakpoint
CREATE TABLE `counter_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `daily_counters` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`rule_id` text DEFAULT '' NOT NULL,
	`views` integer DEFAULT 0 NOT NULL,
	`open_all_clicks` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`, `rule_id`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_counters_day" CHECK("daily_counters"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_counters_positive" CHECK("daily_counters"."views" >= 0 AND "daily_counters"."open_all_clicks" >= 0)
);
--> statement-breakpoint
CREATE TABLE `daily_viewers` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`viewers` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_viewers_day" CHECK("daily_viewers"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_viewers_positive" CHECK("daily_viewers"."viewers" >= 0)
);
--> statement-breakpoint
CREATE TABLE `idempotency_answers` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`answer` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_answers_created` ON `idempotency_answers` (`created_at`);--> statement-breakpoint
CREATE TABLE `owners` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text,
	`organization_id` text,
	`plan` text DEFAULT 'free' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "owners_one" CHECK(("owners"."user_id" IS NULL) <> ("owners"."organization_id" IS NULL)),
	CONSTRAINT "owners_plan" CHECK("owners"."plan" IN ('free', 'pro'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owners_user_id_unique` ON `owners` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `owners_organization_id_unique` ON `owners` (`organization_id`);--> statement-breakpoint
CREATE TABLE `policy_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "policy_rules_id" CHECK("policy_rules"."id" GLOB 'r_*')
);
--> statement-breakpoint
CREATE INDEX `policy_rules_bundle` ON `policy_rules` (`bundle_id`);--> statement-breakpoint
CREATE TABLE `salts` (
	`day` text PRIMARY KEY NOT NULL,
	`salt` blob NOT NULL,
	CONSTRAINT "salts_day" CHECK("salts"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "salts_length" CHECK(length("salts"."salt") = 32)
);
--> statement-breakpoint
CREATE TABLE `viewer_hashes` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`, `hash`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "viewer_hashes_day_shape" CHECK("viewer_hashes"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')
);
--> statement-breakpoint
CREATE INDEX `viewer_hashes_day` ON `viewer_hashes` (`day`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`source` text NOT NULL,
	`delivery_id` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`source`, `delivery_id`),
	CONSTRAINT "webhook_deliveries_source" CHECK("webhook_deliveries"."source" IN ('identity', 'payment'))
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_received` ON `webhook_deliveries` (`received_at`);--> statement-breakpoint
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_user` ON `account` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_provider` ON `account` (`provider_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`inviter_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`inviter_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "invitation_role" CHECK("invitation"."role" IN ('viewer', 'editor', 'admin'))
);
--> statement-breakpoint
CREATE INDEX `invitation_organization` ON `invitation` (`organization_id`);--> statement-breakpoint
CREATE INDEX `invitation_email` ON `invitation` (`email`);--> statement-breakpoint
CREATE TABLE `member` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "member_role" CHECK("member"."role" IN ('viewer', 'editor', 'admin'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_once` ON `member` (`organization_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `member_user` ON `member` (`user_id`);--> statement-breakpoint
CREATE TABLE `organization` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`logo` text,
	`metadata` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_slug_unique` ON `organization` (`slug`);--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`user_id` text NOT NULL,
	`active_organization_id` text,
	`ip_address` text,
	`user_agent` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token_unique` ON `session` (`token`);--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);--> statement-breakpoint
CREATE TABLE `verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verification_identifier` ON `verification` (`identifier`);