CREATE TABLE `app_grants` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`client_hash` blob NOT NULL,
	`host` text NOT NULL,
	`audience` text NOT NULL,
	`scopes` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_hash` blob NOT NULL,
	`code_challenge` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`code_used_at` integer,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`ends_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "app_grants_hashes" CHECK(length("app_grants"."client_hash") = 32 AND length("app_grants"."code_hash") = 32),
	CONSTRAINT "app_grants_audience" CHECK("app_grants"."audience" IN ('mcp', 'api')),
	CONSTRAINT "app_grants_scopes" CHECK(json_valid("app_grants"."scopes"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_grants_code` ON `app_grants` (`code_hash`);--> statement-breakpoint
CREATE INDEX `app_grants_ends` ON `app_grants` (`ends_at`);--> statement-breakpoint
CREATE TABLE `app_refresh_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`answer` blob,
	FOREIGN KEY (`key_id`) REFERENCES `app_grants`(`key_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "app_refresh_tokens_hash" CHECK(length("app_refresh_tokens"."hash") = 32)
);
--> statement-breakpoint
CREATE INDEX `app_refresh_tokens_key` ON `app_refresh_tokens` (`key_id`);--> statement-breakpoint
CREATE INDEX `app_refresh_tokens_created` ON `app_refresh_tokens` (`created_at`);