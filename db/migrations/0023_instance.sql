CREATE TABLE `instance` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`created_at` integer NOT NULL,
	`secret_hash` text,
	`secret_changed_at` integer,
	CONSTRAINT "instance_one" CHECK("instance"."row" = 1)
);
--> statement-breakpoint
-- Made here, so that every database has it from its first moment: a copy has the same, another database has another.
INSERT INTO instance (row, id, created_at) VALUES (1, lower(hex(randomblob(16))), CAST(unixepoch('subsec') * 1000 AS INTEGER));
